{{/* The port of a service, as lib/config has it. */}}
{{- define "kedja.port" -}}
{{- get (dict "identity" 8081 "dispatch" 8082 "engine" 8083 "console" 8080) . -}}
{{- end -}}

{{- define "kedja.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "kedja.environment" -}}
- name: KEDJA_PUBLIC_URL
  value: {{ .Values.publicUrl | quote }}
- name: KEDJA_ADMIN_EMAIL
  value: {{ .Values.adminEmail | quote }}
- name: KEDJA_TRUST_PROXY
  value: {{ join "," .Values.trustProxy | quote }}
- name: KEDJA_HOST
  value: 0.0.0.0
- name: KEDJA_IDENTITY_URL
  value: http://{{ .Release.Name }}-identity:8081
- name: KEDJA_DISPATCH_URL
  value: http://{{ .Release.Name }}-dispatch:8082
- name: KEDJA_ENGINE_URL
  value: http://{{ .Release.Name }}-engine:8083
- name: KEDJA_DRAIN_SECONDS
  value: "5"
{{- range $name, $value := .Values.environment }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- define "kedja.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 256Mi }
  - name: data
    emptyDir: { sizeLimit: 64Mi }
  - name: keys
    secret: { secretName: {{ .Values.secrets.keys | quote }}, defaultMode: 0440 }
{{- with .Values.secrets.files }}
  - name: files
    secret: { secretName: {{ . | quote }}, defaultMode: 0440 }
{{- end }}
{{- end -}}

{{- define "kedja.container" -}}
image: {{ include "kedja.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
envFrom:
  - secretRef: { name: {{ .Values.secrets.environment | quote }} }
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: data, mountPath: /var/lib/kedja }
  - { name: keys, mountPath: /var/lib/kedja/keys, readOnly: true }
{{- if .Values.secrets.files }}
  - { name: files, mountPath: /etc/kedja, readOnly: true }
{{- end }}
{{- end -}}
