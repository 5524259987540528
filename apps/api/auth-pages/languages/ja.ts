import type { AuthPageWording } from './wording.js';

/** The Japanese texts. */
export const japanese: AuthPageWording = {
  invitation: {
    title: '招待を承諾する',
    text: (workspace, email, role) =>
      `${email} として ${workspace ?? 'ワークスペース'} に招待されています。ロールは ${role} です。`,
    button: '招待を承諾する',
  },
  link: {
    title: 'サインイン',
    text: 'ボタンを押すとサインインします。リンクは一度だけ使えます。',
    button: 'サインイン',
  },
  firstProof: {
    text: 'このアドレスはまだ確認されていないため、新しい空のワークスペースから始まります。',
    passwordHint:
      'このアドレスをご自身で登録した場合のみ、パスワードを入力すると元のワークスペースを引き継げます。それ以外は空欄のままにしてください。',
  },
  newPassword: {
    title: '新しいパスワードの設定',
    text: '新しいパスワードを設定すると、すべての端末のセッションが終了します。',
    button: 'パスワードを設定する',
  },
  passwordChanged: {
    title: 'パスワードを変更しました',
    text: 'すべてのセッションが終了しました。新しいパスワードでサインインしてください。',
  },
  signIn: {
    title: 'サインイン',
    text: 'メールアドレスとパスワードでサインインしてください。',
    button: 'サインイン',
    withoutPassword: 'パスワードがない、または忘れた場合',
    mailLink: 'サインイン用のリンクを送る',
    mailPassword: 'パスワード設定用のリンクを送る',
  },
  mailed: {
    title: 'メールをご確認ください',
    text: 'このアドレスのユーザーがいる場合、リンクを送信します。このページは閉じてかまいません。',
  },
  signedIn: {
    title: 'サインインしました',
    text: (email) => `${email} としてサインインしています。`,
    reference: 'API リファレンスへ',
    tokens: 'このセッションのトークン（API の呼び出し用）',
    howToUse: (seconds) => [
      { text: 'アクセストークンは ' },
      { call: 'Authorization: Bearer <access token>' },
      { text: ` として送信します。有効期間は ${seconds} 秒です。リフレッシュトークンは ` },
      { call: 'POST /v1/auth/refresh' },
      { text: ' で交換します。どちらも他人に知らせないでください。' },
    ],
    accessToken: 'アクセストークン',
    refreshToken: 'リフレッシュトークン',
  },
  fields: {
    name: '名前',
    email: 'メールアドレス',
    password: 'パスワード',
    passwordLength: (minimum) => `${minimum} 文字以上`,
  },
  errors: {
    linkEnded: {
      title: 'このリンクは使えません',
      text: 'すでに使用されたか、期限が切れたか、一部しかコピーされていません。新しいリンクを請求してください。',
    },
    invitationEnded: {
      title: 'このリンクは使えません',
      text:
        '招待を承諾済みの場合は、パスワードでサインインしてください。そうでない場合、リンクは期限切れか、取り消されたか、一部しか' +
        'コピーされていません。新しい招待を依頼してください。',
    },
    ssoRequired: {
      title: 'シングルサインオンをご利用ください',
      text: 'このアドレスには会社のシングルサインオンが必要です。ふだんお使いのアプリケーションからサインインしてください。',
    },
    failed: { title: 'エラーが発生しました', text: 'しばらくしてからもう一度お試しください。' },
    refused: '処理できませんでした',
    wrongCredentials: 'メールアドレスまたはパスワードが正しくありません。',
    tooMany: '試行回数が多すぎます。しばらくしてからもう一度お試しください。',
    fields: (minimum) =>
      `すべての項目を入力してください。パスワードは ${minimum} 文字以上で、よく使われるものは使えません。`,
    backToForm: 'フォームに戻る',
  },
};
