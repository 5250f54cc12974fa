export default { guide: ['index', 'guide/harbour'] }
