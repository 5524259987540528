/** Compares two texts by their character codes, for `sort`. So the order of instants is that of time. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
