import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { StreamPostingState } from '#libs/contexts/ledger';

/** What the posting rules keep about an event stream. From it, they compute the ledger postings of the stream's next event. */
@Entity({ schema: 'read', name: 'ledger_books' })
export class StreamPostingStateRow {
  /** The name of the event stream. */
  @PrimaryColumn('text')
  stream: string;

  @Column('jsonb')
  book: StreamPostingState;
}
