import './harbour.css'

export const view = '<h1>Harbour</h1><p class="water">High water is six hours after low water.</p>'
