import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CreditNoteQueries } from './credit-note-queries.js';
import { CreditNoteRow } from './credit-note-row.js';

@Module({
  imports: [TypeOrmModule.forFeature([CreditNoteRow])],
  providers: [CreditNoteQueries],
  exports: [CreditNoteQueries],
})
export class CreditNotesReadModule {}
