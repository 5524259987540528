/** Longer names are nobody's slip of the pen. */
const MAX_LENGTH = 32;

/**
 * The one of `names` that was meant by `text`, if it is close: not counting capitals, `_` and `-`, at most every third letter is
 * another one, is missing, is too many, or has changed places with its neighbor. Undefined if none is.
 */
export function closestTo(text: string, names: readonly string[]): string | undefined {
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

/** Letters to change, insert, take out or swap with their neighbors: the distance of optimal string alignment. */
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
