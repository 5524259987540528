/** Brings dist/ up to date; returns the sources that were compiled or removed, relative to the project's folder. */
export function build(): Promise<string[]>;
