/** How things stand. Over as soon as anything changes: until then, what was made of them need not be made again. */
export interface Standing {
  isOver: boolean
}
