/** The maximum length of a text that is compared. A longer text is not treated as a typing mistake. */
const MAX_LENGTH = 32;

/**
 * Returns the name in `names` that `text` most likely means, or undefined if no name is close. Differences in upper and lower case, `_` and
 * `-` are ignored. At most a third of the letters may be wrong, missing, extra or swapped with a neighbor.
 */
export function closestName(text: string, names: readonly string[]): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const meant = plain(text);
  let closest: string | undefined;
  let least = Math.floor(meant.length / 3) + 1;
  for (const name of names) {
    const known = plain(name);
    if (Math.abs(known.length - meant.length) >= least) continue;
    const distance = distanceOf(meant, known);
    if (distance < least) [closest, least] = [name, distance];
  }
  return closest;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

/** Returns the optimal string alignment distance: the number of letters to change, insert, remove or swap with a neighbor. */
function distanceOf(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 0; i < a.length; i++) {
    const row = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const isSwapped = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j];
      row.push(
        Math.min(
          row[j]! + 1,
          above[j + 1]! + 1,
          above[j]! + (a[i] === b[j] ? 0 : 1),
          isSwapped ? before[j - 1]! + 1 : Infinity,
        ),
      );
    }
    [before, above] = [above, row];
  }
  return above.at(-1)!;
}
