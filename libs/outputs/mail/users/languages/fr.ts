import type { UserMailWording } from './wording.js';

/** The French texts. */
export const french: UserMailWording = {
  linkHint: 'Si le bouton ne fonctionne pas, ouvrez cette adresse :',
  namelessWorkspace: 'un espace de travail',
  validity: (time) => `Le lien fonctionne une seule fois, jusqu’au ${time}.`,
  invitation: {
    subject: (inviter, workspace) =>
      inviter === null
        ? `Invitation à rejoindre ${workspace}`
        : `${inviter} vous invite à rejoindre ${workspace}`,
    text: (inviter, workspace, role) =>
      inviter === null
        ? `Vous êtes invité à rejoindre ${workspace} sur Countinghouse, avec le rôle ${role}.`
        : `${inviter} vous invite à rejoindre ${workspace} sur Countinghouse, avec le rôle ${role}.`,
    next: 'Choisissez un nom et un mot de passe pour accepter l’invitation.',
    button: 'Accepter l’invitation',
    unexpected:
      'Si vous ne connaissez pas l’expéditeur, ne faites rien. Vous ne devenez utilisateur que si vous acceptez.',
  },
  magicLink: {
    subject: (workspace) => `Connexion à ${workspace}`,
    text: ['Vous avez demandé un lien pour vous connecter à Countinghouse.'],
    button: 'Se connecter',
    unexpected: 'Si vous ne l’avez pas demandé, ne faites rien. Ne donnez le lien à personne.',
  },
  resetPassword: {
    subject: (workspace) => `Nouveau mot de passe pour ${workspace}`,
    text: ['Vous avez demandé un lien pour choisir un nouveau mot de passe pour Countinghouse.'],
    button: 'Choisir un nouveau mot de passe',
    unexpected:
      'Si vous ne l’avez pas demandé, ne faites rien. Votre mot de passe reste le même. Ne donnez le lien à personne.',
  },
};
