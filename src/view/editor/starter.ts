/** What the editor holds in an empty sandbox: one Service and a pod behind it. */
export const STARTER = `apiVersion: v1
kind: Service
metadata:
  name: hello
spec:
  selector:
    app: hello
  ports:
  - port: 80
    targetPort: 8080
---
apiVersion: v1
kind: Pod
metadata:
  name: hello-1
  labels:
    app: hello
spec:
  nodeName: node-2
  containers:
  - name: server
    image: web
    ports:
    - containerPort: 8080
`;
