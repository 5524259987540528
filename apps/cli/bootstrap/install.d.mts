/** Tells whether the installed packages of a folder are those of its lock file. */
export function isInstalled(folder?: string): Promise<boolean>;
