import type { Language } from '#libs/kernel/core';
import { german } from './de.js';
import { english } from './en.js';
import { spanish } from './es.js';
import { french } from './fr.js';
import { japanese } from './ja.js';
import type { MailWording } from './wording.js';

const WORDINGS: Readonly<Record<Language, MailWording>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  ja: japanese,
};

/** The texts of mail to customers in a language. */
export function mailWordingOf(language: Language): MailWording {
  return WORDINGS[language];
}

export type { MailText, MailWording } from './wording.js';
