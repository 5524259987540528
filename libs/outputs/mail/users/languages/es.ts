import type { UserMailWording } from './wording.js';

/** The Spanish texts. */
export const spanish: UserMailWording = {
  linkHint: 'Si el botón no funciona, abra esta dirección:',
  namelessWorkspace: 'un espacio de trabajo',
  validity: (time) => `El enlace funciona una sola vez, hasta ${time}.`,
  invitation: {
    subject: (inviter, workspace) =>
      inviter === null ? `Invitación a ${workspace}` : `${inviter} le invita a ${workspace}`,
    text: (inviter, workspace, role) =>
      inviter === null
        ? `Le han invitado a ${workspace} en Countinghouse, con el rol ${role}.`
        : `${inviter} le invita a ${workspace} en Countinghouse, con el rol ${role}.`,
    next: 'Elija un nombre y una contraseña para aceptar la invitación.',
    button: 'Aceptar la invitación',
    unexpected: 'Si no conoce al remitente, no haga nada. Solo será usuario si acepta.',
  },
  magicLink: {
    subject: (workspace) => `Iniciar sesión en ${workspace}`,
    text: ['Ha pedido un enlace para iniciar sesión en Countinghouse.'],
    button: 'Iniciar sesión',
    unexpected: 'Si no lo ha pedido, no haga nada. No dé el enlace a nadie.',
  },
  resetPassword: {
    subject: (workspace) => `Contraseña nueva para ${workspace}`,
    text: ['Ha pedido un enlace para elegir una contraseña nueva para Countinghouse.'],
    button: 'Elegir una contraseña nueva',
    unexpected: 'Si no lo ha pedido, no haga nada. Su contraseña sigue igual. No dé el enlace a nadie.',
  },
};
