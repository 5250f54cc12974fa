/** What a translator has put in the place of a text of React. */
const standIns = new WeakMap<Node, Element>()
/** Those that stand for a text already: the next one may be beside them. */
const taken = new WeakSet<Element>()

/**
 * Translators of browsers replace text by `<font>` elements, and React fails with the whole page when it removes such a
 * text, or changes it out of sight. Lets React remove the stand-in instead, and shows a text again once it has changed,
 * for the translator to translate.
 */
export function supportTranslators(): void {
  const observer = new MutationObserver((records) => {
    for (const record of records) {
      if (record.type === 'characterData') showAgain(record.target)
      else for (const node of record.removedNodes) noteStandIn(node, record)
    }
  })
  observer.observe(document, { childList: true, subtree: true })

  function noteStandIn(text: Node, { addedNodes, previousSibling, nextSibling }: MutationRecord): void {
    if (!(text instanceof Text) || text.parentNode !== null) return
    const standIn = [...addedNodes, previousSibling, nextSibling].find(isFreeStandIn)
    if (standIn === undefined) return
    standIns.set(text, standIn)
    taken.add(standIn)
    observer.observe(text, { characterData: true })
  }

  const { removeChild, insertBefore } = Node.prototype
  Node.prototype.removeChild = function <T extends Node>(this: Node, child: T): T {
    if (!(child instanceof Text) || child.parentNode === this) return removeChild.call(this, child) as T
    standInOf(child, this)?.remove()
    return child
  }
  Node.prototype.insertBefore = function <T extends Node>(this: Node, node: T, before: Node | null): T {
    const isReplaced = before instanceof Text && before.parentNode !== this
    return insertBefore.call(this, node, isReplaced ? standInOf(before, this) : before) as T
  }
}

function isFreeStandIn(node: Node | null): node is Element {
  return node instanceof Element && node.localName === 'font' && !taken.has(node)
}

/** Null if it is gone too. */
function standInOf(text: Text, parent: Node): Element | null {
  const standIn = standIns.get(text)
  return standIn?.parentNode === parent ? standIn : null
}

function showAgain(text: Node): void {
  const standIn = standIns.get(text)
  standIns.delete(text)
  if (text instanceof Text && text.parentNode === null) standIn?.replaceWith(text)
}
