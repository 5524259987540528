import Handlebars from 'handlebars';
import type { Instant } from '#libs/kernel/core';

/** The content of a mail, in parts. The plain text and the HTML are both made from it. */
export interface Letter {
  subject: string;
  /** Paragraphs before the link, without markup. */
  paragraphs: readonly string[];
  /** The link that the recipient is to follow, with the words on its button. */
  link?: { label: string; url: string };
  /** Paragraphs after the link, in smaller print. */
  notes: readonly string[];
}

/** The two forms of a mail: a recipient's program shows one of them. */
export interface MailTexts {
  subject: string;
  text: string;
  html: string;
}

const handlebars = Handlebars.create();
const OPTIONS = { strict: true, knownHelpersOnly: true };

const plain = handlebars.compile<Letter>(
  `{{#each paragraphs}}{{this}}

{{/each}}{{#if link}}{{link.label}}:
{{link.url}}

{{/if}}{{#each notes}}{{this}}

{{/each}}`,
  // Plain text has no markup, so nothing is escaped in it.
  { ...OPTIONS, noEscape: true },
);

/** The HTML has no images and no external style sheets. So mail programs load nothing, and nobody learns when the mail is read. */
const html = handlebars.compile<Letter>(
  `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{{subject}}</title></head>
<body style="margin:0;padding:24px 12px;background:#f3f5f8;color:#1b2230;font:16px/1.5 -apple-system,'Segoe UI',Roboto,Arial,sans-serif">
<div style="max-width:34rem;margin:0 auto;padding:28px;background:#fff;border-radius:8px;overflow-wrap:anywhere">
{{#each paragraphs}}<p style="margin:0 0 16px">{{this}}</p>
{{/each}}{{#if link}}<p style="margin:24px 0"><a href="{{link.url}}" style="display:inline-block;padding:10px 18px;border-radius:6px;background:#1d4ed8;color:#fff;text-decoration:none">{{link.label}}</a></p>
<p style="margin:0 0 16px;font-size:13px;color:#5b6475">If the button does not work, open this address:<br><span style="word-break:break-all">{{link.url}}</span></p>
{{/if}}{{#each notes}}<p style="margin:0 0 8px;font-size:13px;color:#5b6475">{{this}}</p>
{{/each}}</div>
</body>
</html>
`,
  OPTIONS,
);

/** Renders a letter as plain text and as HTML. All values are escaped in the HTML. A subject is one line. */
export function renderLetter(letter: Letter): MailTexts {
  const whole = { ...letter, link: letter.link ?? null } as Letter;
  return {
    subject: oneLine(letter.subject),
    text: plain({ ...whole, paragraphs: letter.paragraphs.map(oneLine) }).trimEnd() + '\n',
    html: html(whole),
  };
}

/** A time as `2026-01-31 12:00 UTC`. The time zone of the recipient is not known. */
export function minuteText(at: Instant): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
}

/** Returns a text in one line. Otherwise a name with line breaks could look like further lines of the mail. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
