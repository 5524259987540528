import type { UserMail } from '#libs/contexts/identity';
import { utcTimeText, type Letter } from '../templates/letter.js';

/** Makes the content of a mail to a user. */
export function userLetter(mail: UserMail): Letter {
  const { url } = mail;
  const validity = `The link works once, until ${utcTimeText(mail.expiresAt)}.`;
  switch (mail.kind) {
    case 'invitation': {
      const where = mail.workspaceName ?? 'a workspace';
      const inviting =
        mail.inviterName === null
          ? `You are invited to ${where} on Countinghouse`
          : `${mail.inviterName} invites you to ${where} on Countinghouse`;
      return {
        subject: inviting,
        paragraphs: [
          `${inviting}, with the role ${mail.role}.`,
          'Choose a name and a password to accept the invitation.',
        ],
        link: { label: 'Accept the invitation', url },
        notes: [validity, 'If you do not know the sender, do nothing. You become a user only if you accept.'],
      };
    }
    case 'magic-link':
      return {
        subject: 'Sign in to Countinghouse',
        paragraphs: ['You asked for a link to sign in.'],
        link: { label: 'Sign in', url },
        notes: [validity, 'If you did not ask for it, do nothing. Give the link to nobody.'],
      };
    case 'reset-password':
      return {
        subject: 'Choose a new password for Countinghouse',
        paragraphs: ['You asked for a link to choose a new password.'],
        link: { label: 'Choose a new password', url },
        notes: [
          validity,
          'If you did not ask for it, do nothing. Your password stays as it is. Give the link to nobody.',
        ],
      };
  }
}
