/** Compares two texts by their character codes, for `sort`. Instants are texts, so this also sorts them by time. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
