import type { UserMailWording } from './wording.js';

/** The English texts. */
export const english: UserMailWording = {
  linkHint: 'If the button does not work, open this address:',
  namelessWorkspace: 'a workspace',
  validity: (time) => `The link works once, until ${time}.`,
  invitation: {
    subject: (inviter, workspace) =>
      inviter === null
        ? `You are invited to ${workspace} on Countinghouse`
        : `${inviter} invites you to ${workspace} on Countinghouse`,
    text: (inviter, workspace, role) =>
      inviter === null
        ? `You are invited to ${workspace} on Countinghouse, with the role ${role}.`
        : `${inviter} invites you to ${workspace} on Countinghouse, with the role ${role}.`,
    next: 'Choose a name and a password to accept the invitation.',
    button: 'Accept the invitation',
    unexpected: 'If you do not know the sender, do nothing. You become a user only if you accept.',
  },
  magicLink: {
    subject: (workspace) => `Sign in to ${workspace}`,
    text: ['You asked for a link to sign in to Countinghouse.'],
    button: 'Sign in',
    unexpected: 'If you did not ask for it, do nothing. Give the link to nobody.',
  },
  resetPassword: {
    subject: (workspace) => `Choose a new password for ${workspace}`,
    text: ['You asked for a link to choose a new password for Countinghouse.'],
    button: 'Choose a new password',
    unexpected:
      'If you did not ask for it, do nothing. Your password stays as it is. Give the link to nobody.',
  },
};
