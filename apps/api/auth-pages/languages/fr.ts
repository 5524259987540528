import type { AuthPageWording } from './wording.js';

/** The French texts. */
export const french: AuthPageWording = {
  invitation: {
    title: 'Accepter l’invitation',
    text: (workspace, email, role) =>
      `Vous êtes invité à rejoindre ${workspace ?? 'un espace de travail'} avec l’adresse ${email} et le rôle ${role}.`,
    button: 'Accepter l’invitation',
  },
  link: {
    title: 'Se connecter',
    text: 'Appuyez sur le bouton pour vous connecter. Le lien fonctionne une seule fois.',
    button: 'Se connecter',
  },
  firstProof: {
    text: 'Personne n’a encore confirmé cette adresse : vous commencez avec un espace de travail nouveau et vide.',
    passwordHint:
      'Seulement si vous avez enregistré cette adresse vous-même : avec votre mot de passe, vous gardez votre espace de travail. Sinon, laissez vide.',
  },
  newPassword: {
    title: 'Choisir un nouveau mot de passe',
    text: 'Un nouveau mot de passe met fin à toutes vos sessions, sur tous les appareils.',
    button: 'Enregistrer le mot de passe',
  },
  passwordChanged: {
    title: 'Votre mot de passe est modifié',
    text: 'Toutes vos sessions sont terminées. Connectez-vous avec le nouveau mot de passe.',
  },
  signIn: {
    title: 'Se connecter',
    text: 'Connectez-vous avec votre adresse e-mail et votre mot de passe.',
    button: 'Se connecter',
    withoutPassword: 'Pas de mot de passe, ou oublié ?',
    mailLink: 'Envoyer un lien de connexion',
    mailPassword: 'Envoyer un lien pour un nouveau mot de passe',
  },
  mailed: {
    title: 'Consultez votre messagerie',
    text: 'Si un utilisateur a cette adresse, un lien lui est envoyé. Vous pouvez fermer cette page.',
  },
  signedIn: {
    title: 'Vous êtes connecté',
    text: (email) => `Vous êtes connecté avec l’adresse ${email}.`,
    reference: 'Ouvrir la référence de l’API',
    tokens: 'Jetons de cette session, pour les appels de l’API',
    howToUse: (seconds) => [
      { text: 'Envoyez le jeton d’accès sous la forme ' },
      { call: 'Authorization: Bearer <access token>' },
      { text: `. Il est valable ${seconds} secondes. Échangez le jeton de renouvellement par ` },
      { call: 'POST /v1/auth/refresh' },
      { text: '. Gardez les deux secrets.' },
    ],
    accessToken: 'Jeton d’accès',
    refreshToken: 'Jeton de renouvellement',
  },
  fields: {
    name: 'Nom',
    email: 'Adresse e-mail',
    password: 'Mot de passe',
    passwordLength: (minimum) => `Au moins ${minimum} caractères`,
  },
  errors: {
    linkEnded: {
      title: 'Ce lien ne fonctionne plus',
      text: 'Il a été utilisé, a expiré ou n’a pas été copié en entier. Demandez-en un autre.',
    },
    invitationEnded: {
      title: 'Ce lien ne fonctionne plus',
      text:
        'Si vous avez accepté l’invitation, connectez-vous avec votre mot de passe. Sinon, le lien a expiré, a été retiré ou n’a pas été ' +
        'copié en entier. Demandez-en un autre.',
    },
    ssoRequired: {
      title: 'Utilisez l’authentification unique',
      text: 'Votre entreprise l’exige pour votre adresse. Ouvrez l’application dans laquelle vous utilisez cet espace de travail, et connectez-vous là.',
    },
    failed: { title: 'Une erreur s’est produite chez nous', text: 'Veuillez réessayer dans un instant.' },
    refused: 'Cela n’a pas fonctionné',
    wrongCredentials: 'L’adresse e-mail ou le mot de passe est incorrect.',
    tooMany: 'Il y a eu trop de tentatives. Veuillez réessayer dans un instant.',
    fields: (minimum) =>
      `Remplissez tous les champs. Le mot de passe doit avoir au moins ${minimum} caractères et ne pas être un mot de passe courant.`,
    backToForm: 'Retour au formulaire',
  },
};
