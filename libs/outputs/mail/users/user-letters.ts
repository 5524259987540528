import type { UserMail } from '#libs/contexts/identity';
import type { Language } from '#libs/kernel/core';
import { buttonColors } from '#libs/outputs/documents';
import { utcTimeText, type Letter } from '../templates/letter.js';
import { userMailWordingOf, type UserMailText } from './languages/index.js';

/** The name, colour and language of the workspace that a mail to a user comes from. */
export interface UserLetterFrame {
  language: Language;
  /** Null if the workspace has no name. */
  workspaceName: string | null;
  /** Null if the workspace has no colour. */
  brandColor: string | null;
}

/** The name that a mail shows in place of the name of a workspace without a name. */
const PRODUCT = 'Countinghouse';

/** Makes the content of a mail to a user. */
export function userLetter(mail: UserMail, frame: UserLetterFrame): Letter {
  const words = userMailWordingOf(frame.language);
  const framed = {
    language: frame.language,
    heading: frame.workspaceName ?? PRODUCT,
    linkHint: words.linkHint,
    ...(frame.brandColor === null ? {} : { button: buttonColors(frame.brandColor) }),
  };
  const { url } = mail;
  const validity = words.validity(utcTimeText(mail.expiresAt));
  const linkLetter = ({ subject, text, button, unexpected }: UserMailText): Letter => ({
    ...framed,
    subject: subject(frame.workspaceName ?? PRODUCT),
    paragraphs: text,
    link: { label: button, url },
    notes: [validity, unexpected],
  });
  switch (mail.kind) {
    case 'invitation': {
      const { subject, text, next, button, unexpected } = words.invitation;
      const workspace = mail.workspaceName ?? words.namelessWorkspace;
      return {
        ...framed,
        subject: subject(mail.inviterName, workspace),
        paragraphs: [text(mail.inviterName, workspace, mail.role), next],
        link: { label: button, url },
        notes: [validity, unexpected],
      };
    }
    case 'magic-link':
      return linkLetter(words.magicLink);
    case 'reset-password':
      return linkLetter(words.resetPassword);
  }
}
