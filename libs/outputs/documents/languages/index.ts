import type { Language } from '#libs/kernel/core';
import { german } from './de.js';
import { english } from './en.js';
import { spanish } from './es.js';
import { french } from './fr.js';
import { japanese } from './ja.js';
import type { Wording } from './wording.js';

const WORDINGS: Readonly<Record<Language, Wording>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  ja: japanese,
};

/** The texts of documents in a language, and its forms of numbers and dates. */
export function wordingOf(language: Language): Wording {
  return WORDINGS[language];
}

export type { Labels, Wording } from './wording.js';
