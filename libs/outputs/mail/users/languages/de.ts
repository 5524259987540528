import type { UserMailWording } from './wording.js';

/** The German texts. */
export const german: UserMailWording = {
  linkHint: 'Wenn die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse:',
  namelessWorkspace: 'einem Arbeitsbereich',
  validity: (time) => `Der Link funktioniert einmal, bis ${time}.`,
  invitation: {
    subject: (inviter, workspace) =>
      inviter === null ? `Sie sind zu ${workspace} eingeladen` : `${inviter} lädt Sie zu ${workspace} ein`,
    text: (inviter, workspace, role) =>
      inviter === null
        ? `Sie sind zu ${workspace} bei Countinghouse eingeladen, mit der Rolle ${role}.`
        : `${inviter} lädt Sie zu ${workspace} bei Countinghouse ein, mit der Rolle ${role}.`,
    next: 'Wählen Sie einen Namen und ein Passwort, um die Einladung anzunehmen.',
    button: 'Einladung annehmen',
    unexpected:
      'Wenn Sie den Absender nicht kennen, tun Sie nichts. Sie werden nur Benutzer, wenn Sie die Einladung annehmen.',
  },
  magicLink: {
    subject: (workspace) => `Anmeldung bei ${workspace}`,
    text: ['Sie haben einen Link zur Anmeldung bei Countinghouse angefordert.'],
    button: 'Anmelden',
    unexpected: 'Wenn Sie ihn nicht angefordert haben, tun Sie nichts. Geben Sie den Link niemandem.',
  },
  resetPassword: {
    subject: (workspace) => `Neues Passwort für ${workspace}`,
    text: ['Sie haben einen Link für ein neues Passwort bei Countinghouse angefordert.'],
    button: 'Neues Passwort wählen',
    unexpected:
      'Wenn Sie ihn nicht angefordert haben, tun Sie nichts. Ihr Passwort bleibt, wie es ist. Geben Sie den Link niemandem.',
  },
};
