/** Returns a value as one line of JSON. Positions become strings, since they can exceed the exact range of JSON numbers. */
export function toJsonLine(value: unknown): string {
  return `${JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? one.toString() : one))}\n`;
}
