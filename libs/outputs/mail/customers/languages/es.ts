import type { MailWording } from './wording.js';

/** The Spanish texts. */
export const spanish: MailWording = {
  greeting: (name) => `Hola, ${name}:`,
  linkHint: 'Si el botón no funciona, abra esta dirección:',
  viewAndPay: 'Ver y pagar la factura',
  view: 'Ver la factura',
  confirm: 'Confirmar el pago',
  invoice: {
    subject: (number, seller) => `Factura ${number} de ${seller}`,
    text: (number, seller) => `Le enviamos la factura ${number} de ${seller}.`,
  },
  receipt: {
    subject: (number, seller) => `Recibo de la factura ${number} de ${seller}`,
    text: (number) => `Gracias. Hemos recibido su pago de la factura ${number}.`,
    partly: (number) =>
      `Gracias. Hemos recibido su pago parcial de la factura ${number}. El resto sigue pendiente de pago.`,
  },
  paymentFailed: {
    subject: (number, seller) => `No se ha podido cobrar la factura ${number} de ${seller}`,
    text: (number) => `No hemos podido cobrar la factura ${number} en su tarjeta.`,
    nextAttempt: (time) =>
      `Lo intentaremos de nuevo el ${time}. También puede pagar ahora, con esta tarjeta o con otra.`,
    noFurtherAttempt:
      'No volveremos a cobrar en esta tarjeta de forma automática. Pague la factura en línea o añada otra tarjeta.',
  },
  actionRequired: {
    subject: (number, seller) => `Confirme el pago de la factura ${number} de ${seller}`,
    text: (number) => `Su banco le pide que confirme el pago de la factura ${number}.`,
  },
  creditNote: {
    subject: (number, seller) => `Factura rectificativa ${number} de ${seller}`,
    text: (number, seller) => `Le enviamos la factura rectificativa ${number} de ${seller}.`,
  },
  dunning: {
    friendly_reminder: {
      subject: (seller) => `Recordatorio de pago de ${seller}`,
      text: () => 'Le recordamos amablemente que su pago está vencido.',
    },
    reminder: {
      subject: (seller) => `Nuevo recordatorio de pago de ${seller}`,
      text: () => 'Todavía no hemos recibido su pago. Le rogamos que pague pronto.',
    },
    final_notice: {
      subject: (seller) => `Último aviso de pago de ${seller}`,
      text: () =>
        'Este es nuestro último aviso. Le rogamos que pague ahora o que responda a este correo si hay algún problema.',
    },
  },
  alreadyPaid: 'Si ha pagado en los últimos días, no tenga en cuenta este correo.',
  subscriptions: {
    paused: 'Su suscripción está en pausa porque no hemos recibido el pago.',
    canceled: 'Su suscripción se ha cancelado porque no hemos recibido el pago.',
  },
  invoiceDue: (number, day) => `${number}, vence el ${day}`,
  attached: 'Los documentos se adjuntan en PDF.',
};
