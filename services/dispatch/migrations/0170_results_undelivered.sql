-- Reports with results that the engine does not have, for metrics: those that were delivered are many.
CREATE INDEX result_report_undelivered ON result_report (created_at) WHERE delivered_at IS NULL;
