import Handlebars from 'handlebars';
import type { Instant } from '#libs/kernel/core';

/** The content of a mail, in parts. The plain text and the HTML of a mail are both made from a Letter. */
export interface Letter {
  /** The language of the texts, as a BCP 47 tag. If absent, it is English. */
  language?: string;
  /** The words above the first paragraph, such as the name of the sender. Absent if there are none. */
  heading?: string;
  subject: string;
  /** Paragraphs before the link, without markup. */
  paragraphs: readonly string[];
  /** Values with their labels, after the paragraphs. A fact with a `url` links to a page. */
  facts?: readonly LetterFact[];
  /** The colour of the button, such as `#1a2b3c`, and the colour of its label. If absent, the button has the default colours. */
  button?: { color: string; labelColor: string };
  /** The text before the address of the link, for mail programs that show no buttons. If absent, the text is English. */
  linkHint?: string;
  /** The link that the recipient should follow, with the text on its button. */
  link?: { label: string; url: string };
  /** Paragraphs after the link, in smaller print. */
  notes: readonly string[];
}

/** A value with its label. */
export interface LetterFact {
  label: string;
  value: string;
  url?: string;
}

/** The forms of a colon between two words, for languages in which the form is not `: `. */
const COLONS: Readonly<Record<string, string>> = { fr: '\u00a0: ', ja: '：' };

/** The plain text and the HTML of a mail, with its subject; a mail program shows one of the two texts. */
export interface MailTexts {
  subject: string;
  text: string;
  html: string;
}

const handlebars = Handlebars.create();
const OPTIONS = { strict: true, knownHelpersOnly: true };

/** A letter with a value for each field that the templates name. */
interface LetterView {
  language: string;
  heading: string | null;
  subject: string;
  paragraphs: readonly string[];
  facts: readonly { label: string; value: string; url: string | null }[];
  button: { color: string; labelColor: string };
  linkHint: string;
  link: Letter['link'] | null;
  notes: readonly string[];
}

/** The values for the plain text in addition to the letter: a colon within a line, and a colon at the end of a line. */
interface PlainView extends LetterView {
  colon: string;
  colonAtEnd: string;
}

const BUTTON = { color: '#1d4ed8', labelColor: '#ffffff' };
const COLOR = /^#[0-9a-fA-F]{6}$/;

const plain = handlebars.compile<PlainView>(
  `{{#each paragraphs}}{{this}}

{{/each}}{{#each facts}}{{label}}{{../colon}}{{value}}
{{#if url}}{{url}}
{{/if}}{{/each}}{{#if facts}}
{{/if}}{{#if link}}{{link.label}}{{colonAtEnd}}
{{link.url}}

{{/if}}{{#each notes}}{{this}}

{{/each}}`,
  // Plain text has no markup, so nothing is escaped in it.
  { ...OPTIONS, noEscape: true },
);

/**
 * The HTML has no images and no external style sheets. Mail programs load nothing from the network for this HTML, so no server learns when
 * the mail is read.
 */
const html = handlebars.compile<LetterView>(
  `<!doctype html>
<html lang="{{language}}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{{subject}}</title></head>
<body style="margin:0;padding:24px 12px;background:#f3f5f8;color:#1b2230;font:16px/1.5 -apple-system,'Segoe UI',Roboto,Arial,sans-serif">
<div style="max-width:34rem;margin:0 auto;padding:28px;background:#fff;border-radius:8px;overflow-wrap:anywhere">
{{#if heading}}<p style="margin:0 0 20px;padding:0 0 14px;border-bottom:1px solid #e3e7ee;font-size:15px;font-weight:600">{{heading}}</p>
{{/if}}{{#each paragraphs}}<p style="margin:0 0 16px">{{this}}</p>
{{/each}}{{#if facts}}<table role="presentation" cellpadding="0" cellspacing="0" style="width:100%;margin:0 0 16px;border-collapse:collapse">
{{#each facts}}<tr><td style="padding:7px 12px 7px 0;border-top:1px solid #e3e7ee;color:#5b6475;vertical-align:top;overflow-wrap:break-word;word-break:keep-all">{{#if url}}<a href="{{url}}" style="color:#1d4ed8">{{label}}</a>{{else}}{{label}}{{/if}}</td><td style="padding:7px 0;border-top:1px solid #e3e7ee;text-align:right;vertical-align:top;overflow-wrap:normal">{{value}}</td></tr>
{{/each}}</table>
{{/if}}{{#if link}}<p style="margin:24px 0"><a href="{{link.url}}" style="display:inline-block;padding:10px 18px;border-radius:6px;background:{{button.color}};color:{{button.labelColor}};text-decoration:none">{{link.label}}</a></p>
<p style="margin:0 0 16px;font-size:13px;color:#5b6475">{{linkHint}}<br><span style="word-break:break-all">{{link.url}}</span></p>
{{/if}}{{#each notes}}<p style="margin:0 0 8px;font-size:13px;color:#5b6475">{{this}}</p>
{{/each}}</div>
</body>
</html>
`,
  OPTIONS,
);

/** Renders a letter as plain text and as HTML. All values are escaped in the HTML. A subject is one line. */
export function renderLetter(letter: Letter): MailTexts {
  const { button = BUTTON, facts = [] } = letter;
  // Escaping does not make a value safe in a style, so each colour must match a strict pattern.
  if (![button.color, button.labelColor].every((color) => COLOR.test(color)))
    throw new Error(`"${button.color}" and "${button.labelColor}" must be colors`);
  const whole: LetterView = {
    language: letter.language ?? 'en',
    heading: letter.heading ?? null,
    subject: letter.subject,
    paragraphs: letter.paragraphs,
    facts: facts.map((fact) => ({ ...fact, url: fact.url ?? null })),
    button,
    linkHint: letter.linkHint ?? 'If the button does not work, open this address:',
    link: letter.link ?? null,
    notes: letter.notes,
  };
  const colon = COLONS[whole.language] ?? ': ';
  const inLines: PlainView = {
    ...whole,
    colon,
    colonAtEnd: colon.trimEnd(),
    paragraphs: whole.paragraphs.map(oneLine),
    facts: whole.facts.map((fact) => ({ ...fact, label: oneLine(fact.label), value: oneLine(fact.value) })),
  };
  return {
    subject: oneLine(letter.subject),
    text: plain(inLines).trimEnd() + '\n',
    html: html(whole),
  };
}

/** A time as `2026-01-31 12:00 UTC`. The text uses UTC, because the time zone of the recipient is not known. */
export function utcTimeText(at: Instant): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
}

/** Returns a text in one line. A name with line breaks could otherwise look like further lines of the mail. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
