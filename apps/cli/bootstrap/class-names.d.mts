export function keepClassNames(code: string): string;
