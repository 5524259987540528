/** A JSON object whose numbers are text. */
export type Exact = Readonly<Record<string, unknown>>;

/** Reads an answer with the digits that its numbers were written with, which a parsed number has lost. */
export function exactly(json: string): Exact {
  return JSON.parse(json, (_, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? context!.source : value,
  ) as Exact;
}
