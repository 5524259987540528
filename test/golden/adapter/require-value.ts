/** Throws for another value than the one that the product knows: nothing else would come of it. */
export function requireValue(field: string, value: string | undefined, known: string): void {
  if (value !== undefined && value !== known)
    throw new Error(`${field} "${value}" is not known, only "${known}"`);
}
