export { MailDeliverer, type AttachmentMaker, type SendConditionChecker } from './queue/mail-deliverer.js';
export { MailQueue } from './queue/mail-queue.js';
export { MailCipher } from './queue/mail-cipher.js';
export { MailStore } from './queue/mail-store.js';
export {
  MAIL_STATUSES,
  RETRYABLE_STATUSES,
  type AttachedDocument,
  type MailContent,
  type MailStatus,
  type NewMail,
  type StoredMail,
} from './queue/mail.js';
export { pruneMail } from './queue/prune-mail.js';
export { renderLetter, type Letter, type MailTexts } from './templates/letter.js';
export { MailQueueModule } from './mail-queue.module.js';
