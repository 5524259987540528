import type { Language } from '#libs/kernel/core';
import { german } from './de.js';
import { english } from './en.js';
import { spanish } from './es.js';
import { french } from './fr.js';
import { japanese } from './ja.js';
import type { UserMailWording } from './wording.js';

const WORDINGS: Readonly<Record<Language, UserMailWording>> = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  ja: japanese,
};

/** The texts of mail to users in a language. */
export function userMailWordingOf(language: Language): UserMailWording {
  return WORDINGS[language];
}

export type { UserMailText, UserMailWording } from './wording.js';
