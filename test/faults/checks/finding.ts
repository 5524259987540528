/** What a check has found: something acknowledged that is not there, something twice, or something that is not so. */
export interface Finding {
  kind: 'lost' | 'doubled' | 'wrong';
  /** What it is about, in words, with its id. */
  text: string;
}

export const lost = (text: string): Finding => ({ kind: 'lost', text });
export const doubled = (text: string): Finding => ({ kind: 'doubled', text });
export const wrong = (text: string): Finding => ({ kind: 'wrong', text });
