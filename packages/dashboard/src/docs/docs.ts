/** Small comforts. Without this script, everything can be read, searched and copied too. */

for (const block of document.querySelectorAll<HTMLElement>('.code')) addCopyButton(block)

function addCopyButton(block: HTMLElement): void {
  // Only HTTPS and localhost have a clipboard.
  if (navigator.clipboard === undefined) return
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    const text = block.querySelector('code')?.textContent ?? ''
    const copied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
    button.textContent = copied ? 'Copied' : 'Failed'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
  block.append(button)
}

const field = document.querySelector<HTMLInputElement>('input[type="search"]')
const form = field?.form
if (field !== null && form != null) suggest(field, form)

/** Shows results below the field while you type. */
function suggest(field: HTMLInputElement, form: HTMLFormElement): void {
  const box = document.createElement('div')
  box.className = 'suggestions'
  box.hidden = true
  form.append(box)
  let timer: ReturnType<typeof setTimeout> | undefined
  let latest = 0

  field.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => void show(field.value.trim()), 120)
  })
  // "/" opens the search, as in many docs.
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') box.hidden = true
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea')
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    field.focus()
  })
  form.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || box.hidden || event.isComposing) return
    event.preventDefault()
    const stops: (Element & HTMLOrSVGElement)[] = [field, ...box.querySelectorAll('a')]
    const at = stops.findIndex((stop) => stop.matches(':focus'))
    stops[(at + step + stops.length) % stops.length]?.focus()
  })
  document.addEventListener('click', (event) => {
    if (event.target instanceof Node && !form.contains(event.target)) box.hidden = true
  })

  async function show(query: string): Promise<void> {
    const turn = ++latest
    const results = query === '' ? null : await fetchResults(query).catch(() => null)
    if (turn !== latest) return
    box.hidden = results === null
    if (results !== null) box.replaceChildren(results)
  }
}

async function fetchResults(query: string): Promise<Element | null> {
  const response = await fetch(`/docs/search?q=${encodeURIComponent(query)}`)
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  return page.querySelector('.results, .nothing')
}
