/** Output as it comes, and a way to wait for a part of it. */
export class Transcript {
  text = '';
  private readonly waiting = new Set<() => void>();

  add(text: string): void {
    this.text += text;
    for (const look of this.waiting) look();
  }

  /** Resolves when the text has come, also if it came before; or after the first so many characters, if given. */
  until(part: string, from = 0): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!this.text.includes(part, from)) return;
        this.waiting.delete(look);
        resolve();
      };
      this.waiting.add(look);
      look();
    });
  }
}
