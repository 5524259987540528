import type { Language } from '#libs/kernel/core';
import { german } from './de.js';
import { english } from './en.js';
import { spanish } from './es.js';
import { french } from './fr.js';
import { japanese } from './ja.js';
import type { AuthPageWording } from './wording.js';

const WORDINGS: Readonly<Record<Language, AuthPageWording>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  ja: japanese,
};

/** The texts of the pages for invitations, sign-ins and passwords in a language. */
export function authPageWordingOf(language: Language): AuthPageWording {
  return WORDINGS[language];
}

export type { AuthPageWording, Piece } from './wording.js';
