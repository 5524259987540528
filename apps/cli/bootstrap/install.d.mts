/** Whether a folder's packages are those of its lock file. */
export function isInstalled(folder?: string): Promise<boolean>;
