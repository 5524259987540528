import type { MailWording } from './wording.js';

/** The German texts. */
export const german: MailWording = {
  greeting: (name) => `Guten Tag ${name},`,
  linkHint: 'Falls die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse:',
  viewAndPay: 'Rechnung ansehen und bezahlen',
  view: 'Rechnung ansehen',
  confirm: 'Zahlung bestätigen',
  invoice: {
    subject: (number, seller) => `Rechnung ${number} von ${seller}`,
    text: (number, seller) => `anbei erhalten Sie die Rechnung ${number} von ${seller}.`,
  },
  receipt: {
    subject: (number, seller) => `Zahlungsbeleg zur Rechnung ${number} von ${seller}`,
    text: (number) => `vielen Dank. Ihre Zahlung der Rechnung ${number} ist eingegangen.`,
    partly: (number) =>
      `vielen Dank. Ihre Teilzahlung der Rechnung ${number} ist eingegangen. Der Rest ist noch zu bezahlen.`,
  },
  paymentFailed: {
    subject: (number, seller) => `Zahlung der Rechnung ${number} von ${seller} fehlgeschlagen`,
    text: (number) => `die Rechnung ${number} konnte nicht von Ihrer Karte abgebucht werden.`,
    nextAttempt: (time) =>
      `Der nächste Versuch erfolgt am ${time}. Sie können auch jetzt bezahlen, mit dieser oder einer anderen Karte.`,
    noFurtherAttempt:
      'Von dieser Karte wird nicht noch einmal abgebucht. Bitte bezahlen Sie die Rechnung online oder hinterlegen Sie eine andere Karte.',
  },
  actionRequired: {
    subject: (number, seller) => `Bitte bestätigen Sie die Zahlung der Rechnung ${number} von ${seller}`,
    text: (number) => `Ihre Bank bittet Sie, die Zahlung der Rechnung ${number} zu bestätigen.`,
  },
  creditNote: {
    subject: (number, seller) => `Rechnungskorrektur ${number} von ${seller}`,
    text: (number, seller) => `anbei erhalten Sie die Rechnungskorrektur ${number} von ${seller}.`,
  },
  dunning: {
    friendly_reminder: {
      subject: (seller) => `Zahlungserinnerung von ${seller}`,
      text: () => 'sicher haben Sie es nur übersehen: Ihre Zahlung ist überfällig.',
    },
    reminder: {
      subject: (seller) => `Mahnung von ${seller}`,
      text: () => 'Ihre Zahlung ist noch nicht eingegangen. Bitte bezahlen Sie so bald wie möglich.',
    },
    final_notice: {
      subject: (seller) => `Letzte Mahnung von ${seller}`,
      text: () =>
        'dies ist unsere letzte Mahnung. Bitte bezahlen Sie jetzt, oder antworten Sie auf diese E-Mail, falls etwas nicht stimmt.',
    },
  },
  alreadyPaid: 'Falls Sie in den letzten Tagen bezahlt haben, ist diese E-Mail gegenstandslos.',
  subscriptions: {
    paused: 'Ihr Abonnement ist pausiert, da wir keine Zahlung erhalten haben.',
    canceled: 'Ihr Abonnement wurde beendet, da wir keine Zahlung erhalten haben.',
  },
  invoiceDue: (number, day) => `${number}, fällig am ${day}`,
  attached: 'Die Dokumente sind als PDF beigefügt.',
};
