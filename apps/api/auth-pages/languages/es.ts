import type { AuthPageWording } from './wording.js';

/** The Spanish texts. */
export const spanish: AuthPageWording = {
  invitation: {
    title: 'Aceptar la invitación',
    text: (workspace, email, role) =>
      `Le han invitado a ${workspace ?? 'un espacio de trabajo'} como ${email}, con el rol ${role}.`,
    button: 'Aceptar la invitación',
  },
  link: {
    title: 'Iniciar sesión',
    text: 'Pulse el botón para iniciar sesión. El enlace funciona una sola vez.',
    button: 'Iniciar sesión',
  },
  firstProof: {
    text: 'Nadie ha confirmado todavía esta dirección, así que empieza con un espacio de trabajo nuevo y vacío.',
    passwordHint:
      'Solo si usted mismo registró esta dirección: con su contraseña conserva su espacio de trabajo. Si no, déjelo vacío.',
  },
  newPassword: {
    title: 'Elegir una contraseña nueva',
    text: 'Una contraseña nueva termina todas sus sesiones, en todos los dispositivos.',
    button: 'Guardar la contraseña',
  },
  passwordChanged: {
    title: 'Su contraseña ha cambiado',
    text: 'Todas sus sesiones han terminado. Inicie sesión con la contraseña nueva.',
  },
  signIn: {
    title: 'Iniciar sesión',
    text: 'Inicie sesión con su dirección de correo y su contraseña.',
    button: 'Iniciar sesión',
    withoutPassword: '¿No tiene contraseña o la ha olvidado?',
    mailLink: 'Enviar un enlace para iniciar sesión',
    mailPassword: 'Enviar un enlace para una contraseña nueva',
  },
  mailed: {
    title: 'Mire su correo',
    text: 'Si un usuario tiene esta dirección, un enlace está en camino. Puede cerrar esta página.',
  },
  signedIn: {
    title: 'Ha iniciado sesión',
    text: (email) => `Ha iniciado sesión como ${email}.`,
    reference: 'Ir a la referencia de la API',
    tokens: 'Tokens de esta sesión, para llamadas a la API',
    howToUse: (seconds) => [
      { text: 'Envíe el token de acceso como ' },
      { call: 'Authorization: Bearer <access token>' },
      { text: `. Vale ${seconds} segundos. Cambie el token de renovación en ` },
      { call: 'POST /v1/auth/refresh' },
      { text: '. Mantenga ambos en secreto.' },
    ],
    accessToken: 'Token de acceso',
    refreshToken: 'Token de renovación',
  },
  fields: {
    name: 'Nombre',
    email: 'Dirección de correo',
    password: 'Contraseña',
    passwordLength: (minimum) => `Al menos ${minimum} caracteres`,
  },
  errors: {
    linkEnded: {
      title: 'Este enlace ya no funciona',
      text: 'Se usó, ha caducado o no se copió completo. Pida otro.',
    },
    invitationEnded: {
      title: 'Este enlace ya no funciona',
      text:
        'Si ya aceptó la invitación, inicie sesión con su contraseña. De lo contrario, el enlace ha caducado, se retiró o no se copió ' +
        'completo. Pida otro.',
    },
    ssoRequired: {
      title: 'Use el inicio de sesión único',
      text: 'Su empresa lo exige para su dirección. Abra la aplicación en la que trabaja con este espacio e inicie sesión allí.',
    },
    failed: { title: 'Algo ha fallado por nuestra parte', text: 'Inténtelo de nuevo en un momento.' },
    refused: 'No ha funcionado',
    wrongCredentials: 'La dirección de correo o la contraseña no es correcta.',
    tooMany: 'Ha habido demasiados intentos. Inténtelo de nuevo en un momento.',
    fields: (minimum) =>
      `Rellene todos los campos. La contraseña debe tener al menos ${minimum} caracteres y no ser una contraseña común.`,
    backToForm: 'Volver al formulario',
  },
};
