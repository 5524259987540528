import type { AuthPageWording } from './wording.js';

/** The English texts. */
export const english: AuthPageWording = {
  invitation: {
    title: 'Accept the invitation',
    text: (workspace, email, role) =>
      `You are invited to ${workspace ?? 'a workspace'} as ${email}, with the role ${role}.`,
    button: 'Accept the invitation',
  },
  link: { title: 'Sign in', text: 'Press the button to sign in. The link works once.', button: 'Sign in' },
  firstProof: {
    text: 'Nobody has proved this address yet, so you begin with a new, empty workspace.',
    passwordHint:
      'Only if you registered this address yourself: with your password you keep the workspace you made. Leave it empty otherwise.',
  },
  newPassword: {
    title: 'Choose a new password',
    text: 'A new password ends all of your sessions, on all devices.',
    button: 'Set the password',
  },
  passwordChanged: {
    title: 'Your password is changed',
    text: 'All of your sessions have ended. Sign in with the new password.',
  },
  signIn: {
    title: 'Sign in',
    text: 'Sign in with your e-mail address and your password.',
    button: 'Sign in',
    withoutPassword: 'No password, or forgotten?',
    mailLink: 'Send a link to sign in',
    mailPassword: 'Send a link for a new password',
  },
  mailed: {
    title: 'Look into your mailbox',
    text: 'If a user has this address, a link is on its way to it. You can close this page.',
  },
  signedIn: {
    title: 'You are signed in',
    text: (email) => `You are signed in as ${email}.`,
    reference: 'Go to the API reference',
    tokens: 'Tokens of this session, for calls of the API',
    howToUse: (seconds) => [
      { text: 'Send the access token as ' },
      { call: 'Authorization: Bearer <access token>' },
      { text: `. It lasts ${seconds} seconds. Exchange the refresh token at ` },
      { call: 'POST /v1/auth/refresh' },
      { text: '. Keep both secret.' },
    ],
    accessToken: 'Access token',
    refreshToken: 'Refresh token',
  },
  fields: {
    name: 'Name',
    email: 'E-mail address',
    password: 'Password',
    passwordLength: (minimum) => `At least ${minimum} characters`,
  },
  errors: {
    linkEnded: {
      title: 'This link does not work any more',
      text: 'It was used, has expired, or was not copied as a whole. Ask for another one.',
    },
    invitationEnded: {
      title: 'This link does not work any more',
      text:
        'If you have accepted the invitation, sign in with your password. Otherwise the link has expired, was taken back, or was not ' +
        'copied as a whole. Ask for another one.',
    },
    ssoRequired: {
      title: 'Use single sign-on',
      text: 'Your company requires it for your address. Open the application where you work with this workspace, and sign in there.',
    },
    failed: { title: 'Something went wrong on our side', text: 'Please try again in a moment.' },
    refused: 'That did not work',
    wrongCredentials: 'The e-mail address or the password is wrong.',
    tooMany: 'There were too many attempts. Please try again in a moment.',
    fields: null,
    backToForm: 'Back to the form',
  },
};
