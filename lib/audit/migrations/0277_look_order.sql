-- Records of what people ask for come before those of jobs, which have next_at 'epoch' and not '-infinity' (docs/adr/0113).
CREATE INDEX audit_look_due ON audit_look (next_at, batch_guid);
