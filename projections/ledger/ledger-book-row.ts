import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { StreamPostingState } from '#libs/contexts/ledger';

/** The state of one stream that the posting rules need to post its next event. */
@Entity({ schema: 'read', name: 'ledger_books' })
export class LedgerBookRow {
  @PrimaryColumn('text')
  stream: string;

  @Column('jsonb')
  book: StreamPostingState;
}
