import type { UserMailWording } from './wording.js';

/** The Japanese texts. */
export const japanese: UserMailWording = {
  linkHint: 'ボタンが使えない場合は、次のアドレスを開いてください。',
  namelessWorkspace: 'ワークスペース',
  validity: (time) => `リンクは一度だけ使えます。期限は ${time} です。`,
  invitation: {
    subject: (inviter, workspace) =>
      inviter === null ? `${workspace} への招待` : `${inviter} さんから ${workspace} への招待`,
    text: (inviter, workspace, role) =>
      inviter === null
        ? `Countinghouse の ${workspace} に招待されています。ロールは ${role} です。`
        : `${inviter} さんが、あなたを Countinghouse の ${workspace} に招待しています。ロールは ${role} です。`,
    next: '名前とパスワードを設定して、招待を承諾してください。',
    button: '招待を承諾する',
    unexpected:
      '差出人に心当たりがない場合は、何もしないでください。承諾しない限り、ユーザーにはなりません。',
  },
  magicLink: {
    subject: (workspace) => `${workspace} へのサインイン`,
    text: ['Countinghouse にサインインするためのリンクが請求されました。'],
    button: 'サインイン',
    unexpected: '心当たりがない場合は、何もしないでください。リンクは誰にも渡さないでください。',
  },
  resetPassword: {
    subject: (workspace) => `${workspace} の新しいパスワード`,
    text: ['Countinghouse の新しいパスワードを設定するためのリンクが請求されました。'],
    button: '新しいパスワードを設定する',
    unexpected:
      '心当たりがない場合は、何もしないでください。パスワードは変わりません。リンクは誰にも渡さないでください。',
  },
};
