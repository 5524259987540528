import type { AuthPageWording } from './wording.js';

/** The German texts. */
export const german: AuthPageWording = {
  invitation: {
    title: 'Einladung annehmen',
    text: (workspace, email, role) =>
      `Sie sind als ${email} zu ${workspace ?? 'einem Arbeitsbereich'} eingeladen, mit der Rolle ${role}.`,
    button: 'Einladung annehmen',
  },
  link: {
    title: 'Anmelden',
    text: 'Drücken Sie die Schaltfläche, um sich anzumelden. Der Link funktioniert einmal.',
    button: 'Anmelden',
  },
  firstProof: {
    text: 'Diese Adresse hat noch niemand bestätigt. Sie beginnen daher mit einem neuen, leeren Arbeitsbereich.',
    passwordHint:
      'Nur wenn Sie diese Adresse selbst registriert haben: Mit Ihrem Passwort behalten Sie Ihren Arbeitsbereich. Lassen Sie das Feld sonst leer.',
  },
  newPassword: {
    title: 'Neues Passwort wählen',
    text: 'Ein neues Passwort beendet alle Ihre Sitzungen auf allen Geräten.',
    button: 'Passwort setzen',
  },
  passwordChanged: {
    title: 'Ihr Passwort ist geändert',
    text: 'Alle Ihre Sitzungen sind beendet. Melden Sie sich mit dem neuen Passwort an.',
  },
  signIn: {
    title: 'Anmelden',
    text: 'Melden Sie sich mit Ihrer E-Mail-Adresse und Ihrem Passwort an.',
    button: 'Anmelden',
    withoutPassword: 'Kein Passwort, oder vergessen?',
    mailLink: 'Link zum Anmelden senden',
    mailPassword: 'Link für ein neues Passwort senden',
  },
  mailed: {
    title: 'Sehen Sie in Ihr Postfach',
    text: 'Wenn ein Benutzer diese Adresse hat, ist ein Link dorthin unterwegs. Sie können diese Seite schließen.',
  },
  signedIn: {
    title: 'Sie sind angemeldet',
    text: (email) => `Sie sind als ${email} angemeldet.`,
    reference: 'Zur API-Referenz',
    tokens: 'Tokens dieser Sitzung, für Aufrufe der API',
    howToUse: (seconds) => [
      { text: 'Senden Sie das Zugriffstoken als ' },
      { call: 'Authorization: Bearer <access token>' },
      { text: `. Es gilt ${seconds} Sekunden. Tauschen Sie das Erneuerungstoken bei ` },
      { call: 'POST /v1/auth/refresh' },
      { text: '. Halten Sie beide geheim.' },
    ],
    accessToken: 'Zugriffstoken',
    refreshToken: 'Erneuerungstoken',
  },
  fields: {
    name: 'Ihr Name',
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    passwordLength: (minimum) => `Mindestens ${minimum} Zeichen`,
  },
  errors: {
    linkEnded: {
      title: 'Dieser Link funktioniert nicht mehr',
      text: 'Er wurde benutzt, ist abgelaufen oder wurde nicht ganz kopiert. Fordern Sie einen neuen an.',
    },
    invitationEnded: {
      title: 'Dieser Link funktioniert nicht mehr',
      text:
        'Wenn Sie die Einladung angenommen haben, melden Sie sich mit Ihrem Passwort an. Sonst ist der Link abgelaufen, wurde ' +
        'zurückgezogen oder nicht ganz kopiert. Bitten Sie um einen neuen.',
    },
    ssoRequired: {
      title: 'Melden Sie sich über Ihr Unternehmen an',
      text: 'Ihr Unternehmen verlangt Single Sign-on für Ihre Adresse. Öffnen Sie die Anwendung, in der Sie mit diesem Arbeitsbereich arbeiten, und melden Sie sich dort an.',
    },
    failed: { title: 'Bei uns ist etwas schiefgegangen', text: 'Bitte versuchen Sie es gleich noch einmal.' },
    refused: 'Das hat nicht geklappt',
    wrongCredentials: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
    tooMany: 'Es gab zu viele Versuche. Bitte versuchen Sie es gleich noch einmal.',
    fields: (minimum) =>
      `Geben Sie alle Felder an. Das Passwort braucht mindestens ${minimum} Zeichen und darf kein häufiges Passwort sein.`,
    backToForm: 'Zurück zum Formular',
  },
};
