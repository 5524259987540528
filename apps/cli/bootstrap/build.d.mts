/** Brings dist/ up to date. Returns the sources that were compiled or removed, relative to the project's folder. */
export function build(): Promise<string[]>;
