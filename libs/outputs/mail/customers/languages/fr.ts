import type { MailWording } from './wording.js';

/** The French texts. */
export const french: MailWording = {
  greeting: (name) => `Bonjour ${name},`,
  linkHint: 'Si le bouton ne fonctionne pas, ouvrez cette adresse\u00a0:',
  viewAndPay: 'Voir et payer la facture',
  view: 'Voir la facture',
  confirm: 'Confirmer le paiement',
  invoice: {
    subject: (number, seller) => `Facture ${number} de ${seller}`,
    text: (number, seller) => `Veuillez trouver ci-joint la facture ${number} de ${seller}.`,
  },
  receipt: {
    subject: (number, seller) => `Reçu pour la facture ${number} de ${seller}`,
    text: (number) => `Merci. Nous avons reçu votre paiement de la facture ${number}.`,
    partly: (number) =>
      `Merci. Nous avons reçu votre paiement partiel de la facture ${number}. Le solde reste à payer.`,
  },
  paymentFailed: {
    subject: (number, seller) => `Échec du paiement de la facture ${number} de ${seller}`,
    text: (number) => `Nous n’avons pas pu débiter votre carte pour la facture ${number}.`,
    nextAttempt: (time) =>
      `La prochaine tentative aura lieu le ${time}. Vous pouvez aussi payer maintenant, avec cette carte ou une autre.`,
    noFurtherAttempt:
      'Cette carte ne sera plus débitée automatiquement. Veuillez payer la facture en ligne ou enregistrer une autre carte.',
  },
  actionRequired: {
    subject: (number, seller) => `Veuillez confirmer le paiement de la facture ${number} de ${seller}`,
    text: (number) => `Votre banque vous demande de confirmer le paiement de la facture ${number}.`,
  },
  creditNote: {
    subject: (number, seller) => `Avoir ${number} de ${seller}`,
    text: (number, seller) => `Veuillez trouver ci-joint l’avoir ${number} de ${seller}.`,
  },
  dunning: {
    friendly_reminder: {
      subject: (seller) => `Rappel de paiement de ${seller}`,
      text: () => 'Sauf erreur de notre part, votre paiement est en retard.',
    },
    reminder: {
      subject: (seller) => `Nouveau rappel de paiement de ${seller}`,
      text: () =>
        'Nous n’avons pas encore reçu votre paiement. Merci de procéder au règlement dans les meilleurs délais.',
    },
    final_notice: {
      subject: (seller) => `Dernier rappel de paiement de ${seller}`,
      text: () =>
        'Ceci est notre dernier rappel. Veuillez payer dès maintenant, ou répondez à ce message en cas de problème.',
    },
  },
  alreadyPaid: 'Si vous avez payé ces derniers jours, veuillez ignorer ce message.',
  subscriptions: {
    paused: 'Votre abonnement est suspendu, car nous n’avons pas reçu le paiement.',
    canceled: 'Votre abonnement a été résilié, car nous n’avons pas reçu le paiement.',
  },
  invoiceDue: (number, day) => `${number}, échéance le ${day}`,
  attached: 'Les documents sont joints en PDF.',
};
