import type { Instant } from '#libs/kernel/core';
import type { UserMail } from '#libs/contexts/identity';
import type { Letter } from '../templates/letter.js';

/** What a mail to a user says. */
export function letterTo(mail: UserMail): Letter {
  const inviting = `${mail.inviterName} invites you to ${mail.workspaceName ?? 'a workspace'} on Countinghouse`;
  return {
    subject: inviting,
    paragraphs: [
      `${inviting}, with the role ${mail.role}.`,
      'Choose a name and a password to accept the invitation.',
    ],
    link: { label: 'Accept the invitation', url: mail.url },
    notes: [
      `The link works until ${minuteText(mail.expiresAt)}.`,
      'If you do not know the sender, do nothing. Nobody gets access with this mail alone.',
    ],
  };
}

/** A time as `2026-01-31 12:00 UTC`. The time zone of the recipient is not known. */
function minuteText(at: Instant): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
}
