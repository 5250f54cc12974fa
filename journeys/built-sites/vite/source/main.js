import './main.css'
import waves from './waves.svg'

const views = {
  '/': async () => '<h1>Tides</h1><a href="/harbour">Harbour</a>',
  '/harbour': async () => (await import('./harbour.js')).view,
}

async function show() {
  const view = views[location.pathname] ?? (async () => '<h1>No such view</h1>')
  document.querySelector('main').innerHTML = `${await view()}<img alt="Waves" src="${waves}" />`
}

addEventListener('popstate', show)
addEventListener('click', (event) => {
  if (!event.target.matches('a')) return
  event.preventDefault()
  history.pushState(null, '', event.target.href)
  show()
})
show()
