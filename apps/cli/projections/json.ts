/** A line of JSON. Positions, which can be greater than a JSON number is exact, are text. */
export function toJson(value: unknown): string {
  return `${JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? one.toString() : one))}\n`;
}
