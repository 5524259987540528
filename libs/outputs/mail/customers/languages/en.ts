import type { MailWording } from './wording.js';

/** The English texts. */
export const english: MailWording = {
  greeting: (name) => `Hello ${name},`,
  linkHint: 'If the button does not work, open this address:',
  viewAndPay: 'View and pay the invoice',
  view: 'View the invoice',
  confirm: 'Confirm the payment',
  invoice: {
    subject: (number, seller) => `Invoice ${number} from ${seller}`,
    text: (number, seller) => `Here is invoice ${number} from ${seller}.`,
  },
  receipt: {
    subject: (number, seller) => `Receipt for invoice ${number} from ${seller}`,
    text: (number) => `Thank you. We have received your payment of invoice ${number}.`,
    partly: (number) =>
      `Thank you. We have received a part of the payment of invoice ${number}. The rest is still due.`,
  },
  paymentFailed: {
    subject: (number, seller) => `Payment of invoice ${number} from ${seller} failed`,
    text: (number) => `We could not charge your card for invoice ${number}.`,
    nextAttempt: (time) =>
      `We will try again on ${time}. You can also pay now, with the same card or another one.`,
    noFurtherAttempt:
      'We will not charge this card again automatically. Please pay the invoice online, or add another card.',
  },
  actionRequired: {
    subject: (number, seller) => `Please confirm the payment of invoice ${number} from ${seller}`,
    text: (number) => `Your bank asks you to confirm the payment of invoice ${number}.`,
  },
  creditNote: {
    subject: (number, seller) => `Credit note ${number} from ${seller}`,
    text: (number, seller) => `Here is credit note ${number} from ${seller}.`,
  },
  dunning: {
    friendly_reminder: {
      subject: (seller) => `Reminder: payment to ${seller} is due`,
      text: () => 'This is a friendly reminder that your payment is overdue.',
    },
    reminder: {
      subject: (seller) => `Payment to ${seller} is still overdue`,
      text: () => 'We have not received your payment yet. Please pay as soon as possible.',
    },
    final_notice: {
      subject: (seller) => `Final notice: payment to ${seller} is overdue`,
      text: () => 'This is our final notice. Please pay now, or reply to this mail if something is wrong.',
    },
  },
  alreadyPaid: 'If you have paid in the last few days, please ignore this mail.',
  subscriptions: {
    paused: 'Your subscription is paused, because we have not received the payment.',
    canceled: 'Your subscription has been canceled, because we have not received the payment.',
  },
  invoiceDue: (number, day) => `${number}, due ${day}`,
  attached: 'The documents are attached as PDF.',
};
