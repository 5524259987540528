import type { MailWording } from './wording.js';

/** The Japanese texts. */
export const japanese: MailWording = {
  greeting: (name) => `${name} 様`,
  linkHint: 'ボタンが機能しない場合は、次のアドレスを開いてください。',
  viewAndPay: '請求書を表示して支払う',
  view: '請求書を表示する',
  confirm: 'お支払いを確認する',
  invoice: {
    subject: (number, seller) => `${seller}からの請求書 ${number}`,
    text: (number, seller) => `${seller}からの請求書 ${number} をお送りいたします。`,
  },
  receipt: {
    subject: (number, seller) => `${seller}からの請求書 ${number} の領収書`,
    text: (number) => `請求書 ${number} のお支払いを確認いたしました。ありがとうございます。`,
    partly: (number) =>
      `請求書 ${number} のお支払いの一部を確認いたしました。ありがとうございます。残額のお支払いをお願いいたします。`,
  },
  paymentFailed: {
    subject: (number, seller) => `${seller}の請求書 ${number} のお支払いができませんでした`,
    text: (number) => `請求書 ${number} のカード決済ができませんでした。`,
    nextAttempt: (time) =>
      `${time} に再度決済いたします。同じカードまたは別のカードで、今すぐお支払いいただくこともできます。`,
    noFurtherAttempt:
      'このカードでの自動決済はこれ以上行いません。オンラインでお支払いいただくか、別のカードをご登録ください。',
  },
  actionRequired: {
    subject: (number, seller) => `${seller}の請求書 ${number} のお支払いをご確認ください`,
    text: (number) => `請求書 ${number} のお支払いについて、カード会社が本人確認を求めています。`,
  },
  creditNote: {
    subject: (number, seller) => `${seller}からのクレジットノート ${number}`,
    text: (number, seller) => `${seller}からのクレジットノート ${number} をお送りいたします。`,
  },
  dunning: {
    friendly_reminder: {
      subject: (seller) => `${seller}へのお支払いのご確認`,
      text: () => 'お支払期限が過ぎておりますので、ご確認をお願いいたします。',
    },
    reminder: {
      subject: (seller) => `【再送】${seller}へのお支払いのご確認`,
      text: () => 'お支払いをまだ確認できておりません。お早めにお支払いください。',
    },
    final_notice: {
      subject: (seller) => `【最終通知】${seller}へのお支払いについて`,
      text: () =>
        'これは最終のご通知です。至急お支払いください。ご不明な点がございましたら、このメールにご返信ください。',
    },
  },
  alreadyPaid: '行き違いでお支払いいただいている場合は、ご容赦ください。',
  subscriptions: {
    paused: 'お支払いが確認できないため、ご契約を一時停止しております。',
    canceled: 'お支払いが確認できないため、ご契約を解約いたしました。',
  },
  invoiceDue: (number, day) => `${number}（お支払期限 ${day}）`,
  attached: '書類を PDF で添付しております。',
};
