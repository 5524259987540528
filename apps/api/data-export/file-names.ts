/** Gives each document of an archive a file name of its own. */
export class FileNames {
  private readonly taken = new Set<string>();

  /**
   * Returns a name for `wanted` without characters that have a meaning in a path, such as `/` and `:`. If an earlier document has the same
   * name, a number is added before the file extension. Names that differ only in upper and lower case count as the same name, because some
   * file systems do not distinguish case.
   *
   * @param wanted a file name with an extension, such as `INV-000042.pdf`
   */
  uniqueNameFor(wanted: string): string {
    const safe = wanted.replaceAll(/[^\w.-]/g, '_').replace(/^\.+/, '_');
    const dot = safe.lastIndexOf('.');
    for (let copy = 1; ; copy += 1) {
      const name = copy === 1 ? safe : `${safe.slice(0, dot)}-${copy}${safe.slice(dot)}`;
      if (this.taken.has(name.toLowerCase())) continue;
      this.taken.add(name.toLowerCase());
      return name;
    }
  }
}
